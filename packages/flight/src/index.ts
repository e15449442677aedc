/**
 * The door of the package: everything that others may use is here, in the order of README.md, and nothing else may be
 * imported. Names outside this list change without notice.
 */

// Decode. Bytes in, one `Flight` out, whatever they hold; `flight.state` says what is wrong with them.
export { decodeFlight, maxFlightBytes } from './decode-flight.ts';
export { decodeReply, type Reply } from './decode-reply.ts';
export { readReplyBody, type ReplyFile, type ReplyPart } from './multipart.ts';
export { countJsonParts } from './count-json-parts.ts';
export { isUrlEncoded, judgeRequest, type JudgedRequest } from './judge/judge-request.ts';
export { forgeryRules, type Advisory, type Breach, type ForgeryRule, type Judgement } from './judge/forgery.ts';
export type { Flight, FlightState } from './flight.ts';
export { takeOffMarker, type NextMarker } from './next-marker.ts';

// Open. From a payload, a page, a HAR, an exported flight or a request, compressed or not, to what `decode…` takes.
export {
  findServerTime,
  openFlights,
  type FlightOrigin,
  type FoundFlight,
  type OpenedInput,
  type OpenOptions,
  type UnreadableReason,
} from './open-flights.ts';
export { decompressHere, type Decompress } from './unpack.ts';
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
export {
  fillOneFile,
  oneFilePlaces,
  readOneFile,
  readSavedPart,
  savedElementId,
  type OneFile,
  type OneFileResult,
  type SavedComparison,
  type SavedFlight,
} from './one-file.ts';

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
export { readErrors, readFailures, type FlightError } from './errors.ts';
export { describeControl } from './control-flow.ts';
export {
  printRowOrigin,
  readElementOrigin,
  readRowOrigin,
  readRowSubject,
  type RowOrigin,
  type SourcePlace,
} from './row-origin.ts';
export { scanFlight, type FlightScan } from './scan-flight.ts';
export { readDigestsFromHtml } from './html-digests.ts';
export { readLinks } from './links.ts';
export { nameModule, readModules, type ClientModule } from './modules.ts';
export { readNestedFlight } from './nested-flight.ts';
export type { Place } from './place.ts';

// Write. Values as JSON that nothing in a payload can forge, and in a few words for lists and titles.
export { readRowAsJson, valueToJson, type Json } from './value-to-json.ts';
export { printElementType, printRow, printValue } from './print-value.ts';

// Development's payloads, comparable with each other and with production's.
export { toPlainPayload, toPlainRows } from './plain-payload.ts';

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
export { analyzeParts } from './analyze-parts.ts';
export { lookAtTexts } from './secrets/look-at-texts.ts';
export { attributeBytes, byteKindNames, estimateCompressed, type Attribution } from './attribution.ts';
export { estimateCompression, type Compression } from './compression.ts';
export { byteKinds, type ByteKind } from './byte-context.ts';
export { buildByteTree, createByteOpener, type ByteNode, type ByteOpener } from './byte-tree.ts';
export type { ByteSums } from './byte-items.ts';
export type { ElementKind } from './element-names.ts';
export { findDuplicates, type Duplicate, type Duplicates } from './duplicates.ts';
export type { ModuleUse } from './module-use.ts';
export type { Around } from './hole-search.ts';
export { findHoles, type AwaitedRow, type GivenPromise, type Hole, type Holes } from './holes.ts';
export { isCutOff } from './is-cut-off.ts';
export type { Halt } from './state-findings.ts';
export { findPromises } from './promised-rows.ts';
export type { Awaited } from './row-awaits.ts';
export { countBefore } from './count-before.ts';
export type { ChunkTime } from './chunk-times.ts';
export {
  minBase64 as minFindingBase64,
  minBytes as minFindingBytes,
  nameTransfer,
  minShare as minFindingShare,
  minWaitMs as minFindingWaitMs,
  type Finding,
  type FindingKind,
  type FindingPart,
  type ResponseFacts,
  type Transfer,
} from './finding.ts';
export { guessFramework, guessReact, type Guess, type ReactLine } from './framework.ts';
export { nameFramework, recordOf, type Framework } from './frameworks/framework-records.ts';
export { nameNextRequest } from './frameworks/next-request.ts';
export { readNextTree } from './frameworks/next-tree.ts';
export type { PayloadRequest } from './frameworks/framework-record.ts';
export { describeApp, type AppFacts } from './describe-app.ts';
export { describePage } from './describe-page.ts';

// Caches between a server and its visitors: what an answer tells them, and what goes wrong with it.
export { cachingHeaders, readCaching, type Caching } from './caches/caching.ts';
export {
  adviseOnCaches,
  cacheRules,
  flightAsPage,
  isHarmful,
  judgeCookie,
  judgeTwoBodies,
  type AnswerHeaders,
  type CacheFault,
  type CacheRule,
} from './caches/judge-caching.ts';

// Secrets, and what is personal. `findings` has them; a recorder looks at payloads that nobody analyzes.
export { createSecretFinder, type FoundSecret, type KnownSecret, type SecretFinder } from './secrets/find-secrets.ts';
export { printShapePlace } from './secrets/secret-findings.ts';
export { describePersonalData } from './secrets/describe-personal-data.ts';
export type { PersonalData } from './secrets/personal-data.ts';

// What a server did while it answered, as its app told a recorder.
export {
  spanKinds,
  spansShown,
  writeServerTime,
  type PlacedSpan,
  type ServerTime,
  type SpanKind,
  type WrittenServerTime,
} from './server-time/server-time.ts';
export {
  describeServerWaits,
  introduceServerTime,
  printWords,
  reportServerTime,
  type ServerTimeReport,
  type ServerWaitWords,
} from './server-time/describe-server-time.ts';
export { isShellRead, readShellWaits, type ShellWait } from './server-time/read-shell-waits.ts';
export { findRowCause, type RowCause } from './server-time/find-row-cause.ts';
export { listRowCauses } from './server-time/list-row-causes.ts';
export { nameSpan } from './server-time/name-span.ts';

// Compare.
export { diffFlights, type FlightDiff } from './diff.ts';
export type { DiffCause } from './diff-causes.ts';
export type { DiffEntry, DiffGroup } from './diff-groups.ts';
export type { DiffContent, DiffValue } from './diff-side.ts';

// For viewers of whole payloads, which look at every row or value: headers without bodies, and visits along the tape.
export { findRow, readHeader, type RowHeader } from './row-index.ts';
export { isReadAtOnce, rowTagOf, type BinaryType, type RowRole } from './row-tags.ts';
export { readNumberAt } from './read-number-at.ts';
export { readReferences, type RowReference } from './references.ts';
export { readTokens, type Token, type TokenKind } from './tokens.ts';
export { readValuePath, type ValuePath, type ValueStep } from './value-path.ts';
export { visitFlight, type FlightVisitor } from './visit-flight.ts';
