import { index, route } from '@react-router/dev/routes';

export default [
  index('routes/home.jsx'),
  route('about', 'routes/about.jsx'),
  route('act', 'routes/act.jsx'),
  route('blog/:slug', 'routes/post.jsx'),
  route('boom', 'routes/boom.jsx'),
  route('heavy', 'routes/heavy.jsx'),
  route('late', 'routes/late.jsx'),
];
