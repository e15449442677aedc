import { Link } from 'waku';
import { ErrorBoundary } from '../components/error-boundary.jsx';

export default function Layout({ children }) {
  return (
    <>
      <nav>
        <Link to="/">Home</Link> <Link to="/heavy">Heavy</Link> <Link to="/blog/first">First post</Link>{' '}
        <Link to="/blog/third" unstable_prefetchOnEnter={{}}>
          Third post
        </Link>{' '}
        <Link to="/act">Act</Link>
      </nav>
      <ErrorBoundary>{children}</ErrorBoundary>
    </>
  );
}

export const getConfig = async () => ({ render: 'static' });
