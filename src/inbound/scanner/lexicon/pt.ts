import type { Terms } from './concepts.ts';

export const pt: Terms = {
  override:
    'ignore|ignora|ignorar|ignorem|esqueça|esquece|esqueçam|desconsidere|desconsidera|desconsiderar|desobedeça|não siga|não sigas|contorne|deixe de seguir|descarte|despreze|passe por cima',
  prior: 'anterior*|prévia*|prévio*|acima|até agora|original*|inicial|iniciais|precedente*|recebidas|até aqui',
  rules:
    'instruç*|instrução|regra|regras|diretriz*|ordem|ordens|orientaç*|restriç*|comandos|política*|prompt|limitações',
  all: 'todas|todos|tudo|toda|qualquer|quaisquer|cada',
  yours:
    'suas|seus|tuas|teus|do sistema|do desenvolvedor|dos desenvolvedores|que você recebeu|que recebeste|que lhe foram',
  drop: 'esqueça tudo o que|esqueça tudo que|ignore tudo o que|ignore tudo que|esquece tudo o que|ignore o pedido do usuário|ignore o usuário',
  reader:
    'à ia|para a ia|se você é uma ia|se és uma ia|se você for uma ia|cara ia|olá ia|nota para a ia|instrução para a ia|instruções para a ia|assistente de ia|agente de ia|agentes de ia|modelo de linguagem|se você é um assistente|se você for um assistente|atenção ia|ao resumir este|ao processar este|quando resumir este|a ia que ler|você é uma ia|mensagem para a ia|atenção, ia',
  model: 'ia|chatbot*|modelo de linguagem|assistente*',
  role: 'agora você é|você agora é|a partir de agora você|de agora em diante você|aja como|atue como|finja ser|comporte-se como|passa a ser|és agora',
  mode: 'sem restrições|sem limites|sem filtros|sem regras|sem censura|modo desenvolvedor|modo administrador|sem nenhuma restrição|sem qualquer restrição|sem limitações|modo de manutenção',
  preempt:
    'sua nova tarefa|sua verdadeira tarefa|sua tarefa real|em vez de resumir|antes de responder|antes de resumir|o usuário já|o usuário autorizou|o utilizador já|responda apenas|responda somente|responde apenas|comece sua resposta|termine sua resposta|execute apenas|siga apenas',
  steer: 'nova instrução|novas instruções|seguintes instruções|em vez disso|execute|nova tarefa|faça o seguinte',
  secrecy:
    'não conte ao usuário|não diga ao usuário|não diga nada ao usuário|sem avisar o usuário|sem informar o usuário|não informe o usuário|não avise o usuário|sem o usuário|o usuário não deve|sem que o usuário|não digas ao utilizador|não informes o utilizador|sem avisar o utilizador|ao utilizador',
  hush: 'em segredo|secretamente|discretamente|silenciosamente|sem perguntar|sem confirmação|sem pedir confirmação|não mencione|não menciones|às escondidas|sem avisar',
  reveal:
    'mostre|mostra|revele|revela|imprima|repita|escreva|diga|liste|forneça|divulgue|copie|compartilhe|responda com|exiba',
  prompt:
    'seu prompt|prompt do sistema|prompt de sistema|suas instruções|instruções do sistema|mensagem do sistema|suas instruções iniciais|suas regras internas|teu prompt|instruções ocultas',
  send: 'envie|envia|enviar|mande|manda|encaminhe|encaminha|transmita|publique|carregue|exporte|copie|compartilhe|reencaminhe|remeta',
  sensitive:
    'senha*|credenciais|chaves de api|chave de api|chave api|chaves api|palavra-passe|palavras-passe|contatos|contactos|caixa de entrada|histórico|conversa|dados de clientes|dados dos clientes|lista de clientes|dados bancários|confidencia*|últimos e-mails|últimos emails|arquivos privados|tokens|salários|variáveis de ambiente|banco de dados',
  hand: 'envie-nos|nos envie|envie para nós|mande-nos|me envie|me mande|responda com|informe-nos|nos informe|forneça-nos|responda a este e-mail com|diga-me|envia-nos|nos forneça',
  ask: 'digite|insira|confirme|verifique|atualize|valide|introduza|preencha',
  credential:
    'sua senha|a senha|suas credenciais|sua palavra-passe|a sua palavra-passe|número do cartão|dados do cartão|seu cartão|código de verificação|código de segurança|código recebido|código sms|frase de recuperação|seu pin|o seu pin|token do banco|dados bancários|cvv|código que',
  pressure:
    'em 24 horas|nas próximas 24 horas|em 48 horas|será suspensa|foi suspensa|será bloqueada|foi bloqueada|será cancelada|imediatamente|urgente|caso contrário|definitivamente|último aviso|será encerrada',
  assure:
    'nunca pedimos|nunca pediremos|nunca solicit*|jamais solicit*|não compartilhe|não partilhe|nunca compartilhe|nunca partilhe|se você não solicitou|se não solicitou|cuidado com|não informe a ninguém|golpe|golpes',
  discuss:
    'atacante*|ataque*|por exemplo|exemplo*|pesquisador*|treinamento|formação|vulnerabilidade*|artigo|palestra|frases como|phishing',
  mine: 'minha|minhas|meu|meus|nossa|nossas|nosso|nossos',
};
