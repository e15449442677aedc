import { Buttons } from './buttons.jsx';

export default function Act() {
  return (
    <main>
      <h1>Act</h1>
      <Buttons />
    </main>
  );
}
