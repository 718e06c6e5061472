import Configuration

/// `matinee.conf` for swift-configuration: of a setting that stands there twice the later line counts, and of a
/// repeatable one all do.
///
/// Where a value was found (`encodedKey`) is its place in the file, for what is told of it.
struct SettingsFileProvider: ConfigProvider {
  struct Snapshot: ConfigSnapshot {
    let providerName = "SettingsFileProvider"
    let fileName: String
    let entries: [SettingsFile.Entry]

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
      let found = entries.filter { ($0.section.map { [$0] } ?? []) + [$0.name] == key.components }
      let place = found.last.map { "\(fileName), line \($0.line)" } ?? fileName
      guard let last = found.last else { return LookupResult(encodedKey: place, value: nil) }
      let content: ConfigContent =
        switch type {
        case .stringArray: .stringArray(found.map(\.value))
        default: .string(last.value)
        }
      // Whether somebody's password stands in an address isn't known here: none is logged.
      return LookupResult(encodedKey: place, value: ConfigValue(content, isSecret: true))
    }
  }

  let contents: Snapshot

  /// - Parameter fileName: what the file is called in what is told of it.
  init(_ file: SettingsFile, fileName: String) {
    contents = Snapshot(fileName: fileName, entries: file.entries)
  }

  var providerName: String { contents.providerName }

  func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    try contents.value(forKey: key, type: type)
  }

  nonisolated(nonsending) func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType)
    async throws -> LookupResult
  {
    try value(forKey: key, type: type)
  }

  func snapshot() -> any ConfigSnapshot { contents }

  /// The file is read once: a film goes on as it was begun.
  nonisolated(nonsending) func watchValue<Return: ~Copyable>(
    forKey key: AbsoluteConfigKey, type: ConfigType,
    updatesHandler:
      nonisolated(nonsending) (
        ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
      ) async throws -> Return
  ) async throws -> Return {
    try await watchValueFromValue(forKey: key, type: type, updatesHandler: updatesHandler)
  }

  nonisolated(nonsending) func watchSnapshot<Return: ~Copyable>(
    updatesHandler:
      nonisolated(nonsending) (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>)
      async throws -> Return
  ) async throws -> Return {
    try await watchSnapshotFromSnapshot(updatesHandler: updatesHandler)
  }
}
