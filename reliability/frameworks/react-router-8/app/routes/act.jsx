import { Buttons } from '../buttons.jsx';

export function ServerComponent() {
  return (
    <main>
      <h1>Act</h1>
      <Buttons />
    </main>
  );
}
