import type { Zoom } from './use-zoom.ts';

export function ZoomButtons({ zoom }: { zoom: Zoom }) {
  return (
    <div role="group" aria-label="Zoom" className="flex gap-1.5">
      <button type="button" aria-label="Zoom out" disabled={zoom.isWhole} onClick={zoom.zoomOut}>
        −
      </button>
      <button type="button" aria-label="Zoom in" onClick={zoom.zoomIn}>
        +
      </button>
      <button type="button" aria-label="Earlier" disabled={zoom.isWhole} onClick={() => zoom.pan(-0.5)}>
        ←
      </button>
      <button type="button" aria-label="Later" disabled={zoom.isWhole} onClick={() => zoom.pan(0.5)}>
        →
      </button>
      <button type="button" disabled={zoom.isWhole} onClick={zoom.reset}>
        Everything
      </button>
    </div>
  );
}
