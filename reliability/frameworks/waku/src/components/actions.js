'use server';

export async function greet(name) {
  return `Hello ${name}`;
}

export async function fail(name) {
  throw new Error(`No greeting for ${name}`);
}

export async function greetByForm(data) {
  console.log(`Hello ${data.get('name')}`);
}
