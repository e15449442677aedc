export default function Clock() {
  return <p>A slice of the page</p>;
}

export const getConfig = async () => ({ render: 'dynamic' });
