import { useTransition } from 'react';

import { formatBytes, formatCount } from '#flight';

import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { Link } from '#src/runtime/navigation/link.tsx';
import { ChooseBox, type Choosing } from './choose-box.tsx';
import { toDecodeAddress } from './decode-address.ts';
import { maxKeptBytes, maxKeptFiles } from './file-store.ts';
import type { Files, OpenedFile } from './use-files.ts';

type OpenedListProps = { readonly files: Files; readonly choosing: Choosing; readonly now: number };

type ForgetButtonProps = { readonly text: string; readonly name?: string; readonly onForget: () => Promise<void> };

function ForgetButton({ text, name, onForget }: ForgetButtonProps) {
  const [isForgetting, startForgetting] = useTransition();
  return (
    <button
      type="button"
      className="button-small"
      aria-label={name === undefined ? undefined : `Forget ${name}`}
      disabled={isForgetting}
      onClick={() => startForgetting(onForget)}
    >
      {isForgetting ? 'Forgetting …' : text}
    </button>
  );
}

function Line({ file, files, choosing, now }: OpenedListProps & { file: OpenedFile }) {
  const { id, name, flights, blob, openedAt, isKept } = file;
  return (
    <li>
      {flights === 1 ? (
        <ChooseBox flight={{ file: id, flight: 0, title: name }} choosing={choosing} />
      ) : (
        <span className="choose-box" />
      )}
      <span className="min-w-0">
        <Link to={toDecodeAddress({ kind: 'file', file: id, flight: undefined })} prefetch="never" scroll={false}>
          {name}
        </Link>
        <span className="block text-sm text-quiet">
          {flights === 1 ? '1 flight' : `${formatCount(flights)} flights`}, {formatBytes(blob.size)}, opened{' '}
          <Moment time={openedAt} now={now} isDense />
          {isKept ? '' : ', not kept'}
        </span>
      </span>
      <ForgetButton name={name} text="Forget" onForget={() => files.forget(file)} />
    </li>
  );
}

/** What was opened on this page, now or before, for as long as this browser keeps it. */
export function OpenedList({ files, choosing, now }: OpenedListProps) {
  const { list, notKept } = files;
  if (!list || list.length === 0) {
    return notKept === undefined ? null : (
      <p className="text-sm text-quiet">This browser does not keep what is opened here: {notKept}.</p>
    );
  }
  return (
    <Panel title="Opened" aside={<ForgetButton text="Forget all" onForget={() => files.forgetAll(list)} />}>
      <ul className="opened-list" aria-label="Opened files">
        {list.map((file) => (
          <Line key={file.id} file={file} files={files} choosing={choosing} now={now} />
        ))}
      </ul>
      <p className="text-sm text-quiet">
        {notKept === undefined
          ? `They stay in this browser alone: the newest ${maxKeptFiles}, up to ${formatBytes(maxKeptBytes)}, until they are forgotten.`
          : `This browser does not keep them: ${notKept}. They are gone when this page is closed or loaded again.`}
      </p>
    </Panel>
  );
}
