'use client';

import { useState, type ReactNode } from 'react';

import { readRefusal } from '#src/runtime/actions/action-errors.ts';

import { decorate } from './decorate.ts';

const picture = <em>a picture that stays in the browser</em>;

function isPicture(value: unknown): value is typeof picture {
  return value === picture;
}

function say(): string {
  return 'and the function is the same one';
}

export function Decorator() {
  const [shown, setShown] = useState<ReactNode>('nothing yet');

  async function call() {
    try {
      const answer = await decorate({ title: 'Sent', picture, say });
      const isSame = isPicture(answer.picture) && answer.say === say;
      setShown(
        <>
          {answer.title}, {isPicture(answer.picture) ? answer.picture : 'another picture'}, {isSame ? say() : 'changed'}
        </>,
      );
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      setShown(`not carried out (${refusal.code})`);
    }
  }

  return (
    <p>
      <button type="button" onClick={() => void call()}>
        Send it there and back
      </button>{' '}
      What came back: <output data-testid="decorated">{shown}</output>
      <noscript> This button needs JavaScript.</noscript>
    </p>
  );
}
