import type { Terms } from './concepts.ts';

export const es: Terms = {
  override:
    'ignora|ignore|ignorar|ignoren|ignorad|olvida|olvide|olviden|olvidad|omite|omita|descarta|descarte|desobedece*|haz caso omiso|haga caso omiso|no sigas|no siga|no hagas caso|no tengas en cuenta|no tenga en cuenta|pasa por alto|pase por alto|anula|anule|deja de seguir|deje de seguir|prescinde*|sáltate|desestima*',
  prior: 'anterior*|previa*|previo*|de arriba|hasta ahora|original*|inicial*|precedente*|recibida*|hasta aquí|dadas',
  rules:
    'instrucción|instrucciones|regla*|directriz|directrices|orden|órdenes|indicación|indicaciones|restricción|restricciones|norma|normas|política*|límites|prompt',
  all: 'todas|todos|todo|toda|cada|cualquier*',
  yours:
    'tus|sus|tu|su|del sistema|del desarrollador|de los desarrolladores|que te dieron|que te han dado|que has recibido|que te dio',
  drop: 'olvida todo lo que|olvide todo lo que|olvida todo lo anterior|ignora todo lo anterior|ignore todo lo anterior|ignora lo que te|olvida tu papel|ignora al usuario|ignora la petición del usuario',
  reader:
    'a la ia|para la ia|si eres una ia|si es una ia|estimada ia|hola ia|querida ia|nota para la ia|instrucción para la ia|instrucciones para la ia|asistente de ia|asistentes de ia|agente de ia|agentes de ia|modelo de lenguaje|si eres un asistente|si eres un modelo|atención ia|eres una ia|mensaje para la ia|cuando resumas este|al resumir este|al procesar este|la ia que lea|para el asistente virtual|atención, ia|atención asistente',
  model: 'ia|chatbot*|modelo de lenguaje|asistente*',
  role: 'ahora eres|a partir de ahora eres|desde ahora eres|de ahora en adelante eres|actúa como|actúe como|finge ser|hazte pasar|compórtate como|eres ahora|a partir de ahora actúas|interpreta el papel',
  mode: 'sin restricciones|sin límites|sin filtros|sin reglas|sin censura|modo desarrollador|modo administrador|sin ninguna restricción|sin ninguna limitación|sin limitaciones|modo mantenimiento|sin ninguna regla',
  preempt:
    'tu nueva tarea|tu verdadera tarea|tu tarea real|en lugar de resumir|en vez de resumir|antes de responder|antes de contestar|antes de resumir|el usuario ya ha|el usuario ha autorizado|el usuario ya autorizó|responde solo con|responde únicamente|responde solamente|comienza tu respuesta|termina tu respuesta|ejecuta únicamente|sigue únicamente|tu única tarea',
  steer:
    'nueva instrucción|nuevas instrucciones|siguientes instrucciones|en su lugar|en cambio|ejecuta|ejecute|nueva tarea|haz lo siguiente',
  secrecy:
    'no se lo digas al usuario|no le digas al usuario|no le digas nada al usuario|sin avisar al usuario|sin informar al usuario|sin decírselo al usuario|no informes al usuario|no avises al usuario|no lo menciones al usuario|el usuario no debe|sin que el usuario|sin el consentimiento del usuario',
  hush: 'en secreto|discretamente|en silencio|sin preguntar|sin pedir confirmación|sin confirmación|no menciones|no mencione|sin avisar|silenciosamente',
  reveal:
    'muestra|muéstra*|revela|revele|imprime|repite|escribe|dime|da|dame|enseña|lista|divulga|copia|comparte|responde con',
  prompt:
    'tu prompt|prompt del sistema|prompt de sistema|tus instrucciones|instrucciones del sistema|mensaje del sistema|tus instrucciones iniciales|tus instrucciones internas|tus reglas internas|instrucciones ocultas',
  send: 'envía|envíe|envíen|envia|enviar|manda|mande|reenvía|reenvíe|reenvia|transmite|publica|sube|exporta|comparte|copia|remite',
  sensitive:
    'contraseña*|credenciales|claves api|clave api|claves de api|clave de api|clave privada|contactos|lista de contactos|bandeja de entrada|historial|conversación|datos de clientes|datos del cliente|datos bancarios|confidencial*|últimos correos|correos|archivos privados|tokens|nóminas|variables de entorno|base de datos|agenda|datos de la tarjeta|clientes',
  hand: 'envíenos|envianos|envíanos|envíame|enviame|mándame|responda con|responde con|responda a este correo con|facilítenos|díganos|indíquenos|dime|denos|danos|compártenos|comparte con nosotros|necesito|necesitamos',
  ask: 'introduzca|introduce|ingrese|ingresa|confirme|confirma|verifique|verifica|actualice|actualiza|valide|proporcione|escriba',
  credential:
    'su contraseña|tu contraseña|sus credenciales|tus credenciales|su pin|número de tarjeta|su tarjeta|datos de su tarjeta|código de verificación|código de seguridad|clave de acceso|su clave|tu clave|código que|frase semilla|frase de recuperación|código sms|código de seis dígitos|datos bancarios|cvv',
  pressure:
    'en 24 horas|en las próximas 24 horas|en 48 horas|será suspendida|ha sido suspendida|será bloqueada|ha sido bloqueada|será cancelada|inmediatamente|de inmediato|urgente|de lo contrario|definitivamente|último aviso|cuanto antes',
  assure:
    'nunca le pedir*|nunca te pedir*|nunca pedimos|nunca solicit*|no comparta|no compartas|no facilite|nunca comparta|nunca compartas|si no ha solicitado|si no has solicitado|cuidado con|no responda con|nunca facilite|no lo compartas',
  discuss:
    'atacante*|ataque*|por ejemplo|ejemplo*|investigador*|taller|formación|vulnerabilidad*|artículo|charla|frases como|phishing',
  mine: 'mi|mis|nuestra|nuestras|nuestro|nuestros',
};
