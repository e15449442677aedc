'use client';

import { navigation } from 'virtual:flight-recorder/options';

import { type Navigate, useNavigate as useOwnNavigate } from '#src/runtime/navigation/use-navigate.ts';

import { usePlainNavigate } from './plain-navigate.ts';

/** Navigation from code, in the same way as our `Link`: where the part `navigation` is off, by Waku's router as it is. */
export const useNavigate: () => Navigate = navigation ? useOwnNavigate : usePlainNavigate;
