import 'server-only';

/**
 * A payload of a few bytes for each token, by the token's anchor. React's own server wrote those of `byReact`: a test of
 * packages/flight has it write them again. Those of `byHand` cannot be had from React's production server of 19.3, or only
 * with times and paths of one machine. Every example is decoded where the page is made.
 */
const longText = 'Rows of bytes and text. '.repeat(100).slice(0, 1024);

export const byReact: Readonly<Record<string, string>> = {
  'row-model': '0:{"title":"Sea","depth":12}\n',
  'row-I': '1:I["a1b2",["c1","counter.js"],"Counter"]\n0:["$","$L1",null,{"start":3}]\n',
  'row-E': '0:{"price":"$@1"}\n1:E{"digest":"K7RQ2M4XVD"}\n',
  'row-T': `1:T400,${longText}0:{"text":"$1"}\n`,
  'row-R': '1:R\n0:"$1"\n1:T1,a1:{"b":1}\n1:C\n',
  'row-r': '1:r\n0:"$1"\n1:b2,Hi1:C\n',
  'row-X': '1:X\n0:"$1"\n1:1\n1:2\n2:"done"\n1:C"$2"\n',
  'row-x': '1:x\n0:"$1"\n1:1\n1:2\n2:"done"\n1:C"$2"\n',
  'row-A': '1:A8,Hi there0:"$1"\n',
  'row-O': '1:O8,Hi there0:"$1"\n',
  'row-o': '1:o8,Hi there0:"$1"\n',
  'row-U': '1:U8,Hi there0:"$1"\n',
  'row-S': '1:S8,Hi there0:"$1"\n',
  'row-s': '1:s8,Hi there0:"$1"\n',
  'row-L': '1:L8,Hi there0:"$1"\n',
  'row-l': '1:l8,Hi there0:"$1"\n',
  'row-G': '1:G8,Hi there0:"$1"\n',
  'row-g': '1:g8,Hi there0:"$1"\n',
  'row-M': '1:M8,Hi there0:"$1"\n',
  'row-m': '1:m8,Hi there0:"$1"\n',
  'row-V': '1:V8,Hi there0:"$1"\n',
  'hint-D': ':HD"https://img.example"\n0:"page"\n',
  'hint-C': ':HC["https://img.example",""]\n0:"page"\n',
  'hint-L': ':HL["/hero.jpg","image",{"fetchPriority":"high"}]\n0:"page"\n',
  'hint-m': ':Hm"/chart.js"\n0:"page"\n',
  'hint-X': ':HX"/early.js"\n0:"page"\n',
  'hint-S': ':HS["/page.css","low"]\n0:"page"\n',
  'hint-M': ':HM"/app.js"\n0:"page"\n',
  'form-L':
    '1:"$Sreact.suspense"\n0:["$","$1",null,{"fallback":"wait","children":"$L2"}]\n2:["$","p",null,{"children":"late"}]\n',
  'form-promise': '0:{"price":"$@1"}\n1:12\n',
  'form-h': '1:{"id":"app/actions.ts#save","bound":null}\n0:{"action":"$h1"}\n',
  'form-Q': '1:[["Ada",36]]\n0:{"ages":"$Q1"}\n',
  'form-W': '1:["sea","air"]\n0:{"tags":"$W1"}\n',
  'form-i': '1:["sea","air"]\n0:{"tags":"$i1"}\n',
  'form-K': '1:[["title","Sea"]]\n0:"$K1"\n',
  'form-B': '0:"$B1"\n2:o8,Hi there1:["text/plain","$2"]\n',
  'form-D': '0:"$D1970-01-01T00:00:00.000Z"\n',
  'form-n': '0:"$n12345678901234567890"\n',
  'form-undefined': '0:{"title":"$undefined","list":["$undefined"]}\n',
  'form-Infinity': '0:"$Infinity"\n',
  'form-minus-zero': '0:"$-0"\n',
  'form-minus-Infinity': '0:"$-Infinity"\n',
  'form-NaN': '0:"$NaN"\n',
  'form-S': '1:"$Sreact.suspense"\n0:["$","$1",null,{"fallback":"wait","children":"here"}]\n',
  'form-Z': '0:{"reason":"$Z"}\n',
  'form-T': '0:{"same":"$T0:0:onClick"}\n',
  'form-dollar': '0:"$$5"\n',
  'form-element': '0:["$","p","first",{"className":"lead","children":"Sea"}]\n',
  'form-reference': '0:{"from":{"name":"Brest"},"to":"$0:from"}\n',
  // How a payload ends: React's server, aborted and as a prerender.
  'end-complete': '0:["$","p",null,{"children":"all of it"}]\n',
};

export const byHand: Readonly<Record<string, string>> = {
  // The hint of the row's own explanation.
  'row-H': ':HL["/hero.jpg","image"]\n0:"page"\n',
  // The same payloads as above, for the rows within them.
  'row-b': '1:r\n0:"$1"\n1:b5,Hi th1:b3,ere1:C\n',
  'row-C': '1:R\n0:"$1"\n1:1\n1:2\n1:C\n',
  // Of development: shortened, because React writes times and files of one machine.
  'row-D':
    ':N1795332189290.25\n1:{"name":"Page","key":null,"env":"Server","props":{}}\n0:D{"time":2.07}\n0:D"$1"\n0:["$","p",null,{"children":"Sea"},"$1",null,1]\n',
  'row-J':
    ':N1795332189290.25\n1:J{"name":"fetch","start":1.5,"end":20.25,"env":"Server"}\n0:D{"awaited":"$1","env":"Server"}\n0:"Sea"\n',
  'row-N': ':N1795332189290.25\n0:"Sea"\n',
  'row-W': ':W["log",[["Page","app/page.tsx",3,11,1,1,false]],null,"Server","depth",12]\n0:"Sea"\n',
  'form-never': '1:W["log",[],null,"Server",{"late":"$@"}]\n0:"Sea"\n',
  'form-P': '3:"$Eclass Point {}"\n2:"$3"\n1:{"x":1,"":"$P2"}\n:W["log",[],null,"Server","$1"]\n0:"Sea"\n',
  'form-E': '1:"$Efunction add(a, b) { return a + b }"\n:W["log",[],null,"Server","$1"]\n0:"Sea"\n',
  'form-Y': ':W["log",[],null,"Server",{"large":"$Y"}]\n0:"Sea"\n',
  // No release of React writes these two.
  'row-P': '0:"$L1"\n1:P\n',
  'form-w': '0:{"title":"$w"}\n',
  'form-H': '0:{"title":"$H"}\n',
  // Of releases before December 2025.
  'form-F': '1:{"id":"app/actions.ts#save","bound":null}\n0:{"action":"$F1"}\n',
  'end-aborted': '0:{"price":"$@1","stock":"$@2"}\n3:E{"digest":"K7RQ2M4XVD"}\n1:"$3"\n2:"$3"\n',
  'end-halted': '0:["$","main",null,{"children":"$L1"}]\n',
  'end-truncated': '0:{"price":"$@1"}\n1:{"amount":12,"curr',
  'end-malformed': '0:{"price":12,}\n1:"here"\n',
};

/** The fields of a request: a text, or the bytes of a file. One with no name is a body that is no form data. */
export type ReplyField = { readonly name: string; readonly value: string | { readonly bytes: string } };

export const replyExamples: Readonly<Record<string, readonly ReplyField[]>> = {
  'reply-arguments': [{ name: '', value: '["save",{"at":"$D1970-01-01T00:00:00.000Z"}]' }],
  'reply-parts': [
    { name: '1', value: '[["Ada",36]]' },
    { name: '0', value: '["save","$Q1"]' },
  ],
  'reply-binary': [
    { name: '1', value: { bytes: 'Hi there' } },
    { name: '0', value: '["$o1"]' },
  ],
  'reply-stream': [
    { name: '0', value: '["$X1"]' },
    { name: 'S1', value: '1' },
    { name: 'S1', value: '2' },
    { name: 'S1', value: 'C' },
  ],
  'reply-form-data': [
    { name: '_1_title', value: 'Sea' },
    { name: '0', value: '["$K1"]' },
  ],
  'reply-items': [
    { name: '0', value: '["$x1"]' },
    { name: 'S1', value: '"a"' },
    { name: 'S1', value: 'C"end"' },
  ],
  'reply-action-id': [
    { name: '$ACTION_ID_app/actions.ts#save', value: '' },
    { name: 'title', value: 'Sea' },
  ],
  'reply-action-ref': [
    { name: '$ACTION_REF_1', value: '' },
    { name: '$ACTION_1:0', value: '{"id":"app/actions.ts#save","bound":"$@1"}' },
    { name: '$ACTION_1:1', value: '[5]' },
    { name: 'title', value: 'Sea' },
  ],
  'reply-action-key': [
    { name: '$ACTION_REF_1', value: '' },
    { name: '$ACTION_1:0', value: '{"id":"app/actions.ts#save","bound":"$@1"}' },
    { name: '$ACTION_1:1', value: '[null]' },
    { name: '$ACTION_KEY', value: 'k1a2b3' },
  ],
};

/** How a payload travels: what a page or a body holds, from which the decoder takes the same three rows. */
export const travelExamples = {
  'travel-response': '0:{"title":"Sea"}\n',
  'travel-next':
    '<script>(self.__next_f=self.__next_f||[]).push([0])</script>\n<script>self.__next_f.push([1,"0:{\\"title\\":"])</script>\n<script>self.__next_f.push([1,"\\"Sea\\"}\\n"])</script>',
  'travel-stream': '<script>(self.__FLIGHT_DATA||=[]).push("0:{\\"title\\":\\"Sea\\"}\\n")</script>',
  'travel-marker': '~0:{"title":"Sea"}\n',
} as const;
