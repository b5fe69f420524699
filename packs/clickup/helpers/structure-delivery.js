// The whole way from a delivery to its structured form, in one call: between steps of a processor a value is written out and read again.
const structureDelivery = (delivery) =>
  [openWebhook, addTaskInfo, addPeople, addCustomFields, finishStructured].reduce((value, step) => step(value), delivery);
