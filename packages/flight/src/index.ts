/**
 * The door of the package: everything that others may use is here, in the order of README.md, and nothing else may be
 * imported. Names outside this list change without notice.
 */

// Decode. Bytes in, one `Flight` out, whatever they hold; `flight.state` says what is wrong with them.
export { decodeFlight, maxFlightBytes } from './decode-flight.ts';
export { decodeReply, type Reply } from './decode-reply.ts';
export type { ReplyFile, ReplyPart } from './multipart.ts';
export type { Flight, FlightState } from './flight.ts';
export { takeOffMarker, type NextMarker } from './next-marker.ts';

// Open. From a payload, a page, a HAR, an exported flight or a request, compressed or not, to what `decode…` takes.
export {
  openFlights,
  type FlightOrigin,
  type FoundFlight,
  type OpenedInput,
  type OpenOptions,
  type UnreadableReason,
} from './open-flights.ts';
export type { Decompress } from './unpack.ts';
export {
  extractFlightFromHtml,
  readFlightFromHtml,
  type HtmlFlight,
  type HtmlFlightPiece,
  type HtmlFlightSource,
} from './from-html.ts';
export { extractFlightFromFrames, readFlightFromFrames, type FrameFlight, type FramePiece } from './from-frames.ts';
export { readFlightsFromHar, type HarFlight, type HarLeftOut, type HarResult } from './from-har.ts';
export { explainLeftOut } from './explain-left-out.ts';
export { readFlightFile, writeFlightFile, type FlightFile, type FlightFileResult } from './flight-file.ts';

// Read. Rows and values when they are asked for; values are tagged unions with their bytes' offsets.
export { countRowsWithin, readRow, readRowValue, type Row } from './row.ts';
export {
  countChildren,
  findEntry,
  readElement,
  readEntries,
  readItems,
  type ElementParts,
  type Entry,
  type Value,
} from './value.ts';
export { countMembers, hasMembers, identifyMembers, readMembers } from './members.ts';
export { openPart, partOfRow, placeOfPart, printPart, readPartText, rootPart, type Member, type Part } from './part.ts';
export { resolveTarget, type Resolved } from './resolve.ts';
export type { Target } from './dollar.ts';
export { readErrors, type FlightError } from './errors.ts';
export { printRowOrigin, readElementOrigin, readRowOrigin, type RowOrigin, type SourcePlace } from './row-origin.ts';
export { scanFlight, type FlightScan } from './scan-flight.ts';
export { readDigestsFromHtml } from './html-digests.ts';
export { nameModule, readModules, type ClientModule } from './modules.ts';
export { readNestedFlight } from './nested-flight.ts';
export type { Place } from './place.ts';

// Write. Values as JSON that nothing in a payload can forge, and in a few words for lists and titles.
export { readRowAsJson, valueToJson, type Json } from './value-to-json.ts';
export { printElementType, printRow, printValue } from './print-value.ts';

// Development's payloads, comparable with each other and with production's.
export { toPlainPayload } from './plain-payload.ts';

// Numbers for people, as findings write them.
export {
  formatBytes,
  formatBytesChange,
  formatCount,
  formatDuration,
  formatLimit,
  formatShare,
} from './format-numbers.ts';
export { countOf } from './finding.ts';

// Analyze. `analyzeFlight` does all of it; what follows it are its parts, for who needs one of them.
export { analyzeFlight, type AnalysisOptions, type FlightAnalysis } from './analysis.ts';
export { attributeBytes, byteKindNames, estimateCompressed, type Attribution } from './attribution.ts';
export { estimateCompression, type Compression } from './compression.ts';
export { byteKinds, type ByteKind } from './byte-context.ts';
export { buildByteTree, createByteOpener, type ByteNode, type ByteOpener } from './byte-tree.ts';
export type { ByteSums } from './byte-items.ts';
export type { ElementKind } from './element-names.ts';
export { findDuplicates, type Duplicate, type Duplicates } from './duplicates.ts';
export type { ModuleUse } from './module-use.ts';
export { findHoles, type AwaitedRow, type Hole } from './holes.ts';
export type { Halt } from './state-findings.ts';
export { findPromises } from './promised-rows.ts';
export type { Awaited } from './row-awaits.ts';
export type { ChunkTime } from './chunk-times.ts';
export {
  minBase64 as minFindingBase64,
  minShare as minFindingShare,
  minWaitMs as minFindingWaitMs,
  type Finding,
  type FindingKind,
  type FindingPart,
  type ResponseFacts,
} from './finding.ts';
export { guessFramework, guessReact, type Framework, type Guess, type ReactLine } from './framework.ts';
export { describeApp, describePage, type AppFacts } from './describe-app.ts';

// Compare.
export { diffFlights, type FlightDiff } from './diff.ts';
export type { DiffCause } from './diff-causes.ts';
export type { DiffEntry, DiffGroup } from './diff-groups.ts';
export type { DiffContent, DiffValue } from './diff-side.ts';

// For viewers of whole payloads, which look at every row or value: headers without bodies, and visits along the tape.
export { findRow, readHeader, type RowHeader } from './row-index.ts';
export { rowTagOf, type BinaryType, type RowRole } from './row-tags.ts';
export { readNumberAt } from './read-number-at.ts';
export { readReferences, type RowReference } from './references.ts';
export { readTokens, type Token, type TokenKind } from './tokens.ts';
export { readValuePath, type ValuePath, type ValueStep } from './value-path.ts';
export { visitFlight, type FlightVisitor } from './visit-flight.ts';
