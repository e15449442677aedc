import { Panel } from '#viewer/panel.tsx';
import { labPath, protocolPath, runtimePath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

const pages = [
  {
    to: runtimePath,
    name: 'Runtime',
    says: 'Whether this recorder is well, what it is set to, and what its store holds.',
  },
  {
    to: labPath,
    name: 'Lab',
    says: 'Pages that break or stream on purpose, to see what is then recorded.',
  },
  {
    to: protocolPath,
    name: 'Protocol',
    says: 'Flight, the format that all of this is about, token by token.',
  },
] as const;

/** What is about the recorder itself, and not about the apps that it records. */
export default function AboutPage() {
  return (
    <div className="stack-5">
      <title>About this recorder · Flight Recorder</title>
      <h1>About this recorder</h1>
      <Panel title="Its own pages">
        <dl className="stack-3">
          {pages.map(({ to, name, says }) => (
            <div key={to}>
              <dt className="font-semibold">
                <Link to={to} prefetch="intent">
                  {name}
                </Link>
              </dt>
              <dd>{says}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      <Panel title="Guides">
        <p>
          They are in the folder <code>docs</code> of the clone and of the package: <code>docs/README.md</code> leads to
          each, <code>docs/hosting.md</code> onto a server, <code>docs/alerts.md</code> to a chat.
        </p>
      </Panel>
    </div>
  );
}

export async function getConfig() {
  return { render: 'static' } as const;
}
