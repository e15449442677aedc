import { NeedsBrowser } from '../../components/needs-browser';

export default function InHtml() {
  return <NeedsBrowser />;
}

export const getConfig = () => ({ render: 'dynamic' }) as const;
