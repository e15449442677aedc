import { greetByForm } from '../components/actions.js';
import { Buttons } from '../components/buttons.jsx';

export default function Act() {
  return (
    <main>
      <h1>Act</h1>
      <Buttons />
      <form action={greetByForm}>
        <input name="name" defaultValue="Ada" />
        <button>Send</button>
      </form>
    </main>
  );
}

export const getConfig = async () => ({ render: 'dynamic' });
