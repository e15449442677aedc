import { LikeButton } from '../components/like-button';
import { SignForm } from '../components/sign-form';
import { listEntries } from '../guest-book/entries';

export default async function GuestBookPage() {
  return (
    <>
      <h1>Guest book</h1>
      <ul>
        {listEntries().map(({ id, name, text }) => (
          <li key={id}>
            <p>
              <b>{name}</b>: {text}
            </p>
            <LikeButton name={name} />
          </li>
        ))}
      </ul>
      <SignForm />
    </>
  );
}

export const getConfig = () => ({ render: 'dynamic' }) as const;
