import { afterEach, describe, expect, it } from 'vitest';

import { adoptDocumentDigest, dropDocumentDigest, identifyError, takeIdentity } from './browser-digest.ts';

afterEach(() => {
  dropDocumentDigest();
  document.body.innerHTML = '';
});

describe('an error of the browser', () => {
  it('has one digest, shown and reported', () => {
    const error = new Error('x');
    const shown = identifyError(error);
    expect(shown.side).toBe('browser');
    expect(takeIdentity(error)).toEqual(shown);
    expect(identifyError(error)).toEqual(shown);
    expect(identifyError(new Error('x'))).not.toEqual(shown);
  });

  it('that is a string has one for each time it is thrown', () => {
    const shown = identifyError('again');
    expect(identifyError('again')).toEqual(shown);
    expect(takeIdentity('again')).toEqual(shown);
    expect(takeIdentity('again')).not.toEqual(shown);
    expect(identifyError('again')).not.toEqual(shown);
  });
});

describe('an error of the server', () => {
  it('keeps the digest that it carries', () => {
    const error = Object.assign(new Error('masked'), { digest: '3F7K2M9QRT' });
    expect(identifyError(error)).toEqual({ side: 'server', digest: '3F7K2M9QRT' });
  });

  it("that fails in the browser again has the digest of the server's page, until that page is gone", () => {
    document.body.innerHTML = '<div data-flight-digest="3F7K2M9QRT"></div>';
    adoptDocumentDigest();
    document.body.innerHTML = '';
    expect(identifyError(new Error('again'))).toEqual({ side: 'server', digest: '3F7K2M9QRT' });
    dropDocumentDigest();
    expect(identifyError(new Error('later')).side).toBe('browser');
  });
});
