import { Buttons } from '../components/buttons.jsx';

export default function Act() {
  return (
    <main>
      <h1>Act</h1>
      <Buttons />
    </main>
  );
}

export const getConfig = async () => ({ render: 'dynamic' });
