import { oneFileTemplatePath } from '#src/server/http/addresses.ts';

/** The file that flights are saved in, before anything is in it. @throws in words when it cannot be had */
export async function loadTemplate(): Promise<string> {
  let response: Response;
  try {
    response = await fetch(oneFileTemplatePath);
  } catch {
    throw new Error('the viewer could not be fetched: the connection broke');
  }
  if (!response.ok) throw new Error(`the viewer could not be fetched: status ${response.status}`);
  return await response.text();
}
