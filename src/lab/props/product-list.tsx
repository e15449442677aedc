'use client';

export function ProductList({ products }: { products: readonly { name: string; price: number }[] }) {
  return (
    <ul>
      {products.map(({ name, price }) => (
        <li key={name}>
          {name}: {price} €
        </li>
      ))}
    </ul>
  );
}
