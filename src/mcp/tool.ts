import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { CallRoute } from '../http/route.ts';

/** The caller of a tool. */
export interface ToolCall {
  callRoute: CallRoute;
  operatorId: string;
  /** The token of the passport that the client shows as its credential. */
  passport: string | undefined;
  /** The client takes a task in the place of a result. */
  readonly takesTasks: boolean;
}

/** A tool: as clients see it, and its work. */
export interface Tool {
  listed: ListedTool;
  input: z.ZodType;
  /** @throws CarnetError as the routes that it calls */
  run(call: ToolCall, given: unknown): Promise<CallToolResult>;
}

interface Definition<Input extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output?: z.ZodObject;
  /** It changes nothing. */
  reads?: true;
  run(call: ToolCall, given: z.output<Input>): Promise<CallToolResult>;
}

/** JSON that routes check themselves is any object to a client. */
export const jsonSchemaOf = (schema: z.ZodType): Record<string, unknown> =>
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodCustom) jsonSchema.type = 'object';
    },
  });

/** Declares a tool. */
export const tool = <Input extends z.ZodObject>(definition: Definition<Input>): Tool => {
  const { name, title, description, input, output, reads = false, run } = definition;
  return {
    listed: {
      name,
      title,
      description,
      inputSchema: { ...jsonSchemaOf(input), type: 'object' },
      ...(output !== undefined && { outputSchema: { ...jsonSchemaOf(output), type: 'object' } }),
      annotations: { readOnlyHint: reads, destructiveHint: false, idempotentHint: true, openWorldHint: !reads },
    },
    input,
    run: (call, given) => run(call, given as z.output<Input>),
  };
};

export const text = (words: string) => ({ type: 'text' as const, text: words });
