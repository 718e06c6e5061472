import Configuration

/// `matinee.conf` as a provider for swift-configuration. If a setting occurs twice, the later line counts; a repeatable
/// setting keeps all of them.
///
/// The `encodedKey` of a value is its line in the file, for messages about it.
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
      // This level doesn't know whether an address contains a password, so all values are secret and none is logged.
      return LookupResult(encodedKey: place, value: ConfigValue(content, isSecret: true))
    }
  }

  let contents: Snapshot

  /// - Parameter fileName: the file's name in messages.
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

  /// Delivers the current value only: the file is read once, and changes apply at the next start.
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
