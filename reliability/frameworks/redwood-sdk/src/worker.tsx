import { render, route } from 'rwsdk/router';
import { defineApp } from 'rwsdk/worker';

import { Document } from './page-document';
import { Shell } from './shell';

const show = ({ request }) => <Shell path={new URL(request.url).pathname} />;

export default defineApp([
  render(Document, [
    route('/', show),
    route('/about', show),
    route('/act', show),
    route('/blog/:slug', show),
    route('/boom', show),
    route('/heavy', show),
    route('/late', show),
  ]),
]);
