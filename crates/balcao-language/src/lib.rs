//! Portuguese and English as customers write them: dates, times, agreement, names, stems.
