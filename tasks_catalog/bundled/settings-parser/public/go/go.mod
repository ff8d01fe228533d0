module settingsreader

go 1.21
