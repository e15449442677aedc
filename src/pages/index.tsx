export default function HomePage() {
  return <h1>Flight Recorder</h1>;
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
