/// The system's sound devices.
enum SoundDevices {
  /// Asks a separate core for the devices. The playing core asks its sound server once and then relies on change
  /// notifications, so it learns nothing more when that server is gone and another one comes.
  ///
  /// - Returns: the devices' descriptions, by mpv's names for them (`pulse/…`); nil if they can't be listed.
  static func devices() async -> [String: String]? {
    let options = [("config", "no"), ("terminal", "no"), ("vo", "null"), ("ao", "null")]
      .map { MPVConfiguration.Option(name: $0.0, value: $0.1) }
    guard let handle = try? MPVHandle(options: options, display: nil, final: []) else { return nil }
    var devices: [String: String]?
    handle.getProperty(MPVProperty.audioDeviceList, id: 1)
    // Read to the end of the events, which comes with the core's own.
    for await stamped in handle.events {
      if case .reply(1, let code, let value) = stamped.event {
        if code >= 0 {
          devices = Dictionary(
            (value.array ?? []).compactMap { device in
              device["name"]?.string.map { ($0, device["description"]?.string ?? "") }
            }, uniquingKeysWith: { first, _ in first })
        }
        handle.quit()
      }
      handle.eventHandled()
    }
    return devices
  }
}
