import type { ComponentType, ReactNode } from 'react';
import { actions, digests, navigation, recorder, reports } from 'virtual:flight-recorder/options';

import { FlightRecorderPageBoundary, type ErrorPageProps } from './page-boundary.tsx';
import { FlightRecorderRuntime } from './runtime.tsx';

export type FlightRecorderProps = {
  readonly children: ReactNode;
  /**
   * A client component of the app, in place of our error panel. It is given the digest and a way to try again. Nothing of our
   * styles is loaded then.
   */
  readonly errorPage?: ComponentType<ErrorPageProps> | undefined;
};

/**
 * Once, around the children of the app's root layout. It adds no element around them and no style: an error shows in their
 * place, and error boundaries inside them come first.
 */
export function FlightRecorder({ children, errorPage }: FlightRecorderProps) {
  // In a static layout, a property that is undefined is deleted again when the layout is decoded. React then serialises each page
  // several times slower: see runtime/renderer/learn-shapes.ts.
  const given = errorPage ? { errorPage } : {};
  return (
    <>
      {digests || navigation || actions || reports || recorder ? <FlightRecorderRuntime /> : null}
      {digests ? <FlightRecorderPageBoundary {...given}>{children}</FlightRecorderPageBoundary> : children}
    </>
  );
}
