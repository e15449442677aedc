import type { Words } from './words.ts';

/** The fields of an action’s request, by their names. */
export const replyWords: readonly Words[] = [
  {
    anchor: 'reply-arguments',
    token: '[…]',
    name: 'arguments',
    says: 'When nothing needs a field of its own, the body is the JSON of the list of arguments, as text. Strings that begin with $ mean what they mean in a response, with the exceptions below.',
  },
  {
    anchor: 'reply-parts',
    token: '0 1 2 …',
    name: 'parts',
    says: 'Otherwise the body is form data. Field 0 has the arguments, and the others what they refer to. Fields are numbered in decimal, references in hex: $ha is field 10.',
  },
  {
    anchor: 'reply-form-data',
    token: '_1_name',
    name: 'a field of FormData 1',
    says: 'The entries of a FormData that is an argument ($K1).',
  },
  {
    anchor: 'reply-items',
    token: 'S1',
    name: 'an item of stream 1',
    says: 'One field for each item. The last begins with C and has what an iterator returned.',
  },
  {
    anchor: 'reply-action-id',
    token: '$ACTION_ID_…',
    name: 'the action of a form',
    says: 'A form that was sent without JavaScript, to an action without bound arguments. The name has the action’s id, the value is empty; the visitor’s own fields are beside it.',
  },
  {
    anchor: 'reply-action-ref',
    token: '$ACTION_REF_1',
    name: 'the action of a form, with bound arguments',
    says: 'The action and its bound arguments are in the fields $ACTION_1:0, $ACTION_1:1 and so on, which are parts as above.',
  },
  {
    anchor: 'reply-action-key',
    token: '$ACTION_KEY',
    name: 'key of the form’s state',
    says: 'Of useActionState: it says which component’s state the answer is for.',
  },
];
