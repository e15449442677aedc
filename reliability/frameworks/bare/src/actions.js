'use server';

export async function greet(name) {
  return `Hello ${name}`;
}

export async function fail(name) {
  throw new Error(`No greeting for ${name}`);
}
