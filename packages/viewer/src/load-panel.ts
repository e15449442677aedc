import type { ComponentType } from 'react';

import { importPart } from './import-part.ts';

import type { PanelProps } from './opened-flight.ts';
import { OverviewPanel } from './overview/overview-panel.tsx';
import { readTab, type TabId } from './view-hash.ts';

/**
 * The overview comes with the viewer. Every other panel is a file of its own, so that the first picture does not wait for
 * all of them.
 */
type Panel = ComponentType<PanelProps>;

const imports: Record<Exclude<TabId, 'overview'>, () => Promise<Panel>> = {
  waterfall: async () => (await import('./waterfall/waterfall-panel.tsx')).WaterfallPanel,
  tree: async () => (await import('./tree/tree-panel.tsx')).TreePanel,
  bytes: async () => (await import('./bytes/bytes-panel.tsx')).BytesPanel,
  rows: async () => (await import('./rows/rows-panel.tsx')).RowsPanel,
  modules: async () => (await import('./modules/modules-panel.tsx')).ModulesPanel,
  findings: async () => (await import('./findings/findings-panel.tsx')).FindingsPanel,
};

const loaded = new Map<TabId, Panel>([['overview', OverviewPanel]]);
const loading = new Map<TabId, Promise<Panel>>();

/** The panel, when its file is there. */
export function findPanel(id: TabId): Panel | undefined {
  return loaded.get(id);
}

async function importPanel(id: Exclude<TabId, 'overview'>): Promise<Panel> {
  try {
    const panel = await importPart(imports[id]);
    loaded.set(id, panel);
    return panel;
  } finally {
    loading.delete(id);
  }
}

/** Loads a panel's file once. After a failure the next call tries again. */
export async function loadPanel(id: TabId): Promise<Panel> {
  if (id === 'overview') return OverviewPanel;
  const panel = loaded.get(id);
  if (panel) return panel;
  const begun = loading.get(id) ?? importPanel(id);
  loading.set(id, begun);
  return begun;
}

/** Before somebody asks for it. When that fails, the click says so. */
export async function preloadPanel(id: TabId): Promise<void> {
  try {
    await loadPanel(id);
  } catch {
    // Tried again when it is asked for.
  }
}

/** The panel that an address asks for, while the flight itself is still on its way. */
export async function preloadShownPanel(hash: string): Promise<void> {
  await preloadPanel(readTab(hash));
}
