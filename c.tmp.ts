import { readFileSync } from 'node:fs';
const base = '/tmp/wt/differential/src/flight/differential/';
const { loadLine } = await import(base + 'react-lines.ts');
const { describeWithReact } = await import(base + 'responses.ts');
const { decodeFlight } = await import(base + '../decode-flight.ts');
const { readFlightFromHtml } = await import(base + '../from-html.ts');
const { describeFlight } = await import(base + 'describe-flight.ts');
if (process.argv[2].endsWith('html')) { const [f]=readFlightFromHtml(readFileSync(process.argv[2],'utf8')); const at=+process.argv[3]; console.log(f.bytes.length, JSON.stringify(Buffer.from(f.bytes.subarray(Math.max(0,at-300),at+200)).toString()), f.ends.filter(e=>Math.abs(e-at)<3000), f.broken); const fl=decodeFlight(f.bytes); const n=fl.rows.count; console.log(fl.rows.starts.subarray(n-3,n+1)); process.exit(); }
for (const l of ['19.3','19.1']) { 
const b=new Uint8Array(readFileSync(process.argv[2]));
const A=JSON.stringify(await describeWithReact(b, loadLine(l,'production'))), B=JSON.stringify(describeFlight(decodeFlight(b)));
let i=0; while(i<A.length&&A[i]===B[i]) i++; console.log('REACT', A.slice(Math.max(0,i-200),i+200),'\n OURS', B.slice(Math.max(0,i-200),i+200), '\n', Buffer.from(b).toString().slice(0,500));}
process.exit()
