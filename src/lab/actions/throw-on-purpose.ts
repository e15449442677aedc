'use server';

export async function throwOnPurpose(): Promise<void> {
  throw new Error('canary-in-action: thrown on purpose in a server action');
}
