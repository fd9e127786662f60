/** The model and the file of ECAPA-TDNN, which the search for a refined voice reads if it is installed. */
export const ECAPA_MODEL = 'ecapa-tdnn';
export const ECAPA_FILE = 'embedding_model.ckpt';
