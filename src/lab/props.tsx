/**
 * What props cost
 *
 * Forty products are shown by a client component, which needs a name and a price. You give a whole record to a client component.
 * Which of its fields are sent? Choose a link: it is given just what it uses, all of each record, or the server renders the list by
 * itself.
 *
 * Look for: The size of the payload: about 1.8 kB, 9.4 kB, 3 kB. Everything that is passed to a client component is sent, used or
 * not: the descriptions and the suppliers are in the payload, and on no screen. Where the server renders the list, the records stay
 * there, but each line is sent as an element.
 */
import { experimentPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { ProductList } from './props/product-list.tsx';

export const group = 'A course, step by step';
export const order = 1;

type Product = {
  name: string;
  price: number;
  description: string;
  stock: number;
  supplier: { name: string; vat: string };
};

const products: readonly Product[] = Array.from({ length: 40 }, (_, index) => ({
  name: `Lamp ${index + 1}`,
  price: 20 + index,
  description: `Lamp number ${index + 1} gives a warm light and is made of brass. It hangs, stands, or lies on its side.`,
  stock: 1000 - index,
  supplier: { name: 'Brass & Sons, Lampwick Street', vat: `GB${100000 + index}` },
}));

function ShownByServer() {
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

export default function Props({ query }: { query: URLSearchParams }) {
  const given = query.get('give');
  const links = [
    ['used', 'what is used'],
    ['all', 'all of each record'],
    ['elements', 'elements, from the server'],
  ];
  return (
    <>
      <ul>
        {links.map(([give, label]) => (
          <li key={give}>
            <Link to={`${experimentPath('props')}?give=${give}`} prefetch="never">
              Give it {label}
            </Link>
          </li>
        ))}
      </ul>
      {given === 'elements' ? <ShownByServer /> : null}
      {given === 'all' ? <ProductList products={products} /> : null}
      {given === 'elements' || given === 'all' ? null : (
        <ProductList products={products.map(({ name, price }) => ({ name, price }))} />
      )}
    </>
  );
}
