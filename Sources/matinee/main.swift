import MatineeCommands

await Matinee.start()
