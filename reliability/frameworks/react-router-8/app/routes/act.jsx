import { greetByForm } from '../actions.js';
import { Buttons } from '../buttons.jsx';

export function ServerComponent() {
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
