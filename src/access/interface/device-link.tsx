import 'server-only';

import { encode } from 'uqr';

import { linkDevice } from '#src/access/actions/link-device.ts';
import { CopyText } from '#src/ui/copy-text.tsx';
import { publicOrigin, serverSettings } from '#src/server/http/server-settings.ts';
import { operatorCommandHere } from '#src/access/operator-command.ts';

/** What a camera needs around the code, in squares: ISO 18004. */
const quietZone = 4;

/** Black on white in both schemes, since not every camera reads the other way round. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: quietZone });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      role="img"
      aria-label="QR code of the login link"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="w-56 max-w-full"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  );
}

/** Only this machine reaches the server, so the other device comes to this machine first. */
function ReachThisMachine() {
  const { hostname, port, protocol } = new URL(publicOrigin(serverSettings()));
  const number = port || (protocol === 'https:' ? '443' : '80');
  return (
    <>
      <p>
        Another device cannot reach this server: it is for this machine alone. If the device may sign in to this machine
        with SSH, run this on the device, with this machine’s name:
      </p>
      <CopyText
        text={{ what: 'the command for the device', text: `ssh -L ${number}:${hostname}:${number} <this machine>` }}
      />
      <p>Then make a link here, and open it on the device:</p>
      <CopyText text={{ what: 'the command for a link', text: operatorCommandHere('login-link') }} />
    </>
  );
}

/** @param link the one that was just made */
export function DeviceLink({ link, canLink }: { link: string | undefined; canLink: boolean }) {
  if (!canLink) return <ReachThisMachine />;
  return (
    <>
      <div role="status" className="stack-2">
        {link === undefined ? null : (
          <>
            <p>Scan this, or send yourself the link. It signs in once, within 10 minutes, and is not shown again.</p>
            <QrCode text={link} />
            <CopyText text={{ what: 'the login link', text: link }} />
          </>
        )}
      </div>
      <form action={linkDevice}>
        <button className="button-small">Make a link for another device</button>
      </form>
    </>
  );
}
