import { chromium } from 'playwright';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
const out='/tmp/panels-shots';
const link=execFileSync(process.execPath,['dist/operator.js','login-link'],{env:{...process.env,FLIGHT_DATA:out+'/data',PORT:'5480',HOST:'127.0.0.1'}}).toString().trim().replace(/127.0.0.1:\d+/,'127.0.0.1:5480');
const b=await chromium.launch({executablePath:'/usr/bin/chromium',args:['--no-sandbox','--disable-gpu']});
const ctx=await b.newContext({viewport:{width:1280,height:900}});
const p=await ctx.newPage();
p.on('console',m=>{if(m.type()==='error')console.log('console',m.text())});p.on('pageerror',e=>console.log('pageerror',e));
await p.goto(link);
const [,,what,tab,extra]=process.argv;
if(what==='stream'){await p.goto('http://127.0.0.1:5480/');await p.waitForTimeout(800);await p.goto('http://127.0.0.1:5480/lab/streaming');await p.waitForTimeout(4500);await p.goto('http://127.0.0.1:5480/flights');await p.waitForTimeout(500);
 const href=await p.locator('a[href^="/flights/"]').filter({hasText:/streaming/}).first().getAttribute('href');console.log(href);await p.goto('http://127.0.0.1:5480'+href+'#tab='+tab);}
else {await p.goto('http://127.0.0.1:5480/decode#tab='+tab);await p.waitForTimeout(1200);await p.getByLabel('A file to decode').setInputFiles(what);}
await p.waitForTimeout(1500);
for(const scheme of ['light','dark']){await p.emulateMedia({colorScheme:scheme});await p.waitForTimeout(150);await p.screenshot({path:`${out}/${tab}-${scheme}.png`,fullPage:true});}
await p.emulateMedia({colorScheme:'light'});await p.setViewportSize({width:390,height:800});await p.waitForTimeout(300);await p.screenshot({path:`${out}/${tab}-390.png`,fullPage:true});console.log('scrollWidth',await p.evaluate(()=>document.documentElement.scrollWidth));
await b.close();
