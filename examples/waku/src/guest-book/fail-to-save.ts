'use server';

export async function failToSave(): Promise<void> {
  await Promise.resolve();
  throw new Error('The pen is empty');
}
