/**
 * Published advisories of React Server Components, and the versions that mend them. Each was read in the sources named with it. A line of
 * versions of which no source speaks is not in it: what is not listed is unknown, not safe.
 */
export const listedOn = '2026-11-27';

export type Advisory = {
  readonly id: string;
  readonly says: string;
  /** When it was told, or first spoken of where that is not known. */
  readonly published: string;
  readonly sources: readonly string[];
  readonly affected: readonly Affected[];
};

type Affected = {
  readonly packages: readonly string[];
  /** The first version of a line, the first that is not of it or is mended, and the version to go to; null: the line is not mended. */
  readonly lines: readonly (readonly [from: string, below: string, fixed: string | null])[];
};

/** The packages of React that read its format on a server. */
export const reactServer = ['react-server-dom-webpack', 'react-server-dom-parcel', 'react-server-dom-turbopack'];

/** Lines that end with their mended version. */
function until(...fixed: readonly string[]): Affected['lines'] {
  return fixed.map((version) => [version.replace(/\.\d+$/, '.0'), version, version]);
}

const of = (packages: readonly string[], lines: Affected['lines']): Affected => ({ packages, lines });

export const advisories: readonly Advisory[] = [
  {
    id: 'CVE-2025-55182',
    says: 'code execution without sign-in (React2Shell; Next.js: CVE-2025-66478)',
    published: '2025-12-03',
    sources: [
      'https://react.dev/blog/2025/12/03/critical-security-vulnerability-in-react-server-components',
      'https://nextjs.org/blog/CVE-2025-66478',
    ],
    affected: [
      of(reactServer, until('19.0.1', '19.1.2', '19.2.1')),
      of(['next'], until('15.0.5', '15.1.9', '15.2.6', '15.3.6', '15.4.8', '15.5.7', '16.0.7')),
    ],
  },
  {
    id: 'CVE-2025-55183',
    says: 'the source of a server function can be read',
    published: '2025-12-11',
    sources: [
      'https://react.dev/blog/2025/12/11/denial-of-service-and-source-code-exposure-in-react-server-components',
      'https://nextjs.org/blog/security-update-2025-12-11',
    ],
    affected: [
      of(reactServer, until('19.0.3', '19.1.4', '19.2.3')),
      of(['next'], until('15.0.7', '15.1.11', '15.2.8', '15.3.8', '15.4.10', '15.5.9', '16.0.10')),
    ],
  },
  {
    id: 'CVE-2025-55184',
    says: 'one request stops the server (with CVE-2025-67779)',
    published: '2025-12-11',
    sources: [
      'https://react.dev/blog/2025/12/11/denial-of-service-and-source-code-exposure-in-react-server-components',
      'https://nextjs.org/blog/security-update-2025-12-11',
    ],
    affected: [
      of(reactServer, until('19.0.3', '19.1.4', '19.2.3')),
      of(
        ['next'],
        [
          ['13.3.0', '14.2.35', '14.2.35'],
          ...until('15.0.7', '15.1.11', '15.2.8', '15.3.8', '15.4.10', '15.5.9', '16.0.10'),
        ],
      ),
    ],
  },
  {
    id: 'CVE-2026-23864',
    says: 'a request takes all memory or processor time',
    published: '2026-01-26',
    sources: [
      'https://vercel.com/changelog/summary-of-cve-2026-23864',
      'https://www.akamai.com/blog/security-research/2026/jan/cve-2026-23864-react-nextjs-denial-of-service',
      'https://github.com/github/advisory-database/issues/6732',
    ],
    affected: [
      of(reactServer, until('19.0.4', '19.1.5', '19.2.4')),
      of(
        ['next'],
        [
          ['13.3.0', '15.0.0', null],
          ...until('15.0.8', '15.1.12', '15.2.9', '15.3.9', '15.4.11', '15.5.10', '16.0.11', '16.1.5'),
        ],
      ),
    ],
  },
  {
    id: 'CVE-2026-23869',
    says: 'a request takes a minute of processor time',
    published: '2026-04-08',
    sources: [
      'https://vercel.com/changelog/summary-of-cve-2026-23869',
      'https://zeropath.com/blog/cve-2026-23869-react-server-components-dos',
    ],
    affected: [
      of(reactServer, until('19.0.5', '19.1.6', '19.2.5')),
      of(
        ['next'],
        [
          ['13.0.0', '15.0.0', null],
          ['15.0.0', '15.5.15', '15.5.15'],
          ['16.0.0', '16.2.3', '16.2.3'],
        ],
      ),
    ],
  },
  {
    id: 'CVE-2026-23870',
    says: 'a request stops the server, or takes all its memory or processor time',
    published: '2026-05-06',
    sources: [
      'https://threatfrontier.com/articles/cve-2026-23870-react-server-components-dos-nextjs-app-router',
      'https://zeropath.com/blog/cve-2026-23870-react-server-components-dos',
    ],
    affected: [
      of(reactServer, until('19.0.6', '19.1.7', '19.2.6')),
      of(
        ['next'],
        [
          ['13.0.0', '15.0.0', null],
          ['15.0.0', '15.5.16', '15.5.16'],
          ['16.0.0', '16.2.5', '16.2.5'],
        ],
      ),
    ],
  },
  {
    id: 'CVE-2026-44907',
    says: 'a request takes all memory or processor time',
    published: '2026-07-24',
    sources: [
      'https://github.com/react/react/security/advisories/GHSA-wx67-qw84-cm4g',
      'https://github.com/langgenius/dify/pull/39540',
    ],
    affected: [of(reactServer, until('19.2.8'))],
  },
];
