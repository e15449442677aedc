import { StalledLab } from '#src/lab/stalled.tsx';

export default function StalledPage() {
  return (
    <main>
      <title>Stalled page · Flight Recorder</title>
      <StalledLab />
    </main>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
