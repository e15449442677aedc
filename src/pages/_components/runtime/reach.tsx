import type { Policy } from '#src/apps/policy.ts';
import { describePolicy } from '#src/flights/interface/describe-policy.ts';
import { isReachableByOthers } from '#src/server/environment/reachability.ts';
import { listeningAddress, publicOrigin, serverSettings } from '#src/server/http/server-settings.ts';
import { Facts } from '#viewer/facts.tsx';

/** Each with the variable that says otherwise, as the process was started with it. */
export function Reach({ policy }: { policy: Policy | undefined }) {
  const settings = serverSettings();
  const proxies = settings.trustedProxies.length === 0 ? 'none is trusted' : settings.trustedProxies.join(', ');
  return (
    <Facts
      facts={[
        { name: 'Opened at', value: <Setting name="BASE_URL">{publicOrigin(settings)}</Setting> },
        { name: 'Listens on', value: <Setting name="HOST, PORT">{listeningAddress(settings)}</Setting> },
        { name: 'For', value: isReachableByOthers(settings) ? 'other machines, too' : 'this machine alone' },
        {
          name: 'Sign-in',
          value: (
            <Setting name="FLIGHT_AUTH">
              {settings.auth === 'on' ? 'needed' : 'off: everybody who reaches it is the operator'}
            </Setting>
          ),
        },
        { name: 'Proxies', value: <Setting name="TRUSTED_PROXIES">{proxies}</Setting> },
        {
          name: 'Records',
          value: (
            <Setting name="RECORD">
              {policy ? `${describePolicy(policy)}, unless an app says otherwise` : 'nothing'}
            </Setting>
          ),
        },
      ]}
    />
  );
}

function Setting({ name, children }: { name: string; children: string }) {
  return (
    <>
      {children} <span className="code text-quiet">{name}</span>
    </>
  );
}
