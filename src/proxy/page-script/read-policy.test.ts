import { describe, expect, it } from 'vitest';

import { chooseForm } from './read-policy.ts';

function choose(...policies: string[]): string {
  const form = chooseForm(policies, 'shop.test');
  return form.type === 'forbidden' ? `forbidden by ${form.directive}` : `${form.type} ${form.nonce ?? '-'}`;
}

describe('a policy', () => {
  it.each([
    ['none', [], 'early -'],
    ['that says nothing of scripts', ["img-src 'self'"], 'early -'],
    ['with a nonce', ["script-src 'nonce-aB3=' 'strict-dynamic'; connect-src 'self'"], 'early aB3='],
    ['with a nonce for elements', ["script-src 'none'; script-src-elem 'nonce-aB3'"], 'early aB3'],
    ['with a nonce by default', ["default-src 'self' 'nonce-aB3'"], 'early aB3'],
    ['that lets inline scripts run', ["default-src 'self' 'unsafe-inline'"], 'early -'],
    ['whose hash forbids other inline scripts', ["script-src 'self' 'unsafe-inline' 'sha256-x='"], 'file -'],
    ['of the own origin', ["default-src 'self'"], 'file -'],
    ['that names the host', ['default-src https://shop.test'], 'file -'],
    ['of all origins', ['default-src *'], 'file -'],
    ['that wants trusted types', ["script-src 'nonce-a'; require-trusted-types-for 'script'"], 'file a'],
    ['of another host', ['script-src https://cdn.test'], 'forbidden by script-src'],
    ['of hashes alone', ["script-src 'sha256-x=' 'strict-dynamic' 'self'"], 'forbidden by script-src'],
    ['without scripts', ["script-src 'none'"], 'forbidden by script-src'],
    ['that lets nothing be sent', ["script-src 'self'; connect-src 'none'"], 'forbidden by connect-src'],
    ['that sends elsewhere alone', ["script-src 'self'; connect-src https://api.test"], 'forbidden by connect-src'],
    ['of a sandbox', ['sandbox allow-scripts'], 'forbidden by sandbox'],
    ['of a sandbox that allows it', ['sandbox allow-scripts allow-same-origin'], 'early -'],
    ['whose second one has no effect', ["script-src 'self'; script-src 'none'"], 'file -'],
    ['beside another, in one header', ["script-src 'nonce-a', script-src 'self'"], 'file a'],
    ['beside one that knows no nonce', ["script-src 'nonce-a'", "script-src 'none'"], 'forbidden by script-src'],
    ['whose nonce would end the attribute', [`script-src 'nonce-a"><b'`], 'forbidden by script-src'],
  ])('%s', (_, policies, expected) => {
    expect(choose(...policies)).toBe(expected);
  });
});
