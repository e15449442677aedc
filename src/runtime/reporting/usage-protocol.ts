/** 33 characters each: together less than a kilobyte of headers. The rest goes with the next request. */
export const usedAtOnce = 20;
