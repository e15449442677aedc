import { readSetting } from '#src/server/environment/read-setting.ts';

/** Whom a visitor gives a digest to. What is not set is empty. */
export type Contact = {
  readonly name: string;
  readonly address: string;
  /** `mailto:…` or an address of the web. Empty where the address is neither. */
  readonly href: string;
};

export function readContact(): Contact {
  const address = readSetting('CONTACT_ADDRESS');
  return { name: readSetting('CONTACT_NAME') ?? '', address: address?.text ?? '', href: address?.href ?? '' };
}
