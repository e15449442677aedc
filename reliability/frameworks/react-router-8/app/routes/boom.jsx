async function Failing() {
  throw new Error('Boom before the shell');
}

export function ServerComponent() {
  return <Failing />;
}
