import './bytes-panel.css';

import { ByteMap } from './byte-map.tsx';
import { DuplicateList } from './duplicate-list.tsx';
import type { PanelProps } from '../opened-flight.ts';
import { WhenUnderstood } from '../when-understood.tsx';

/** What the bytes are used for, and what was sent twice. */
export function BytesPanel({ opened, onOpen }: PanelProps) {
  return (
    <WhenUnderstood opened={opened} what="the bytes">
      {(understood) => (
        <>
          <ByteMap opened={opened} onOpen={onOpen} understood={understood} />
          <DuplicateList opened={opened} onOpen={onOpen} duplicates={understood.duplicates} total={understood.total} />
        </>
      )}
    </WhenUnderstood>
  );
}
