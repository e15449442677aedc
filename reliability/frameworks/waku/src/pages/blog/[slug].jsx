export default function Post({ slug }) {
  return (
    <main>
      <h1>Post {slug}</h1>
    </main>
  );
}

export const getConfig = async () => ({ render: 'dynamic' });
