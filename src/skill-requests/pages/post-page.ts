import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../console/form.ts';
import { actForm, callAct, consolePage } from '../../console/page.ts';
import { html } from '../../http/pages/html.ts';
import { post } from '../routes.ts';
import { PostSkillRequestSchema } from '../schema.ts';
import { REQUESTS_PATH } from './board-page.ts';

const postForm = schemaOf(PostSkillRequestSchema);
const postOptions: FormOptions = {
  only: ['description', 'tags', 'max_price_cents', 'desired_input_schema', 'desired_output_schema'],
  labels: { max_price_cents: 'Price of a run at most', description: 'What you need' },
  money: ['max_price_cents'],
  hints: {
    description: 'All operators read it.',
    tags: 'Skills are compared by their tags first.',
    desired_input_schema:
      'A JSON Schema of what you have: {"type": "object", "properties": {"text": {"type": "string"}}}.',
    desired_output_schema: 'A JSON Schema of what you want back.',
  },
};

/** The form that posts a request. */
export const postPage = consolePage({
  operation: 'postRequestPage',
  path: `${REQUESTS_PATH}/new`,
  show: async (_, entered) => ({
    title: 'Post a request',
    body: html`<h1>Post a request</h1>
<p class="lead">Say what a skill should do for you. Skills that fit are shown at once; providers read the rest.</p>
<section class="card">${actForm({ act: 'post', label: 'Post it', tone: 'primary', fields: fieldsOf(postForm, postOptions, { entered }) })}</section>`,
  }),
  acts: {
    post: callAct('', post, {
      input: (form) => ({ body: valueOf(postForm, form, postOptions) }),
      then: ({ id }) => `${REQUESTS_PATH}/${id}`,
    }),
  },
  formBytes: 1_048_576,
});
