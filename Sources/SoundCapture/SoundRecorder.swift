import Calibration
import Concurrency
import Synchronization

/// A recording of one microphone through PulseAudio, or PipeWire in its place.
///
/// The sound stays in this process's memory.
package final class SoundRecorder: Sendable {
  /// The samples per second. Most microphones have this rate, so that no filter of the server delays the sound.
  static let rate = 48_000
  /// The longest recording, in samples.
  static let longest = 60 * rate

  private let isStopped = ThreadFlag()
  private let microphone = OneShot<Result<Microphone, SoundCaptureError>>()
  private let recording = OneShot<Result<Recording, SoundCaptureError>>()

  /// Opens a microphone and begins to record. Returns once sound arrives.
  ///
  /// - Parameter name: the server's name for it; nil for the default one.
  package init(microphone name: String?) async throws(SoundCaptureError) {
    let (isStopped, microphone, recording) = (isStopped, microphone, recording)
    do {
      try OwnedThread.make("microphone") {
        let result = PulseStream.record(
          from: name, until: { isStopped.isSet }, started: { microphone.fulfil(.success($0)) })
        if case .failure(let error) = result { microphone.fulfil(.failure(error)) }
        recording.fulfil(result)
      }
    } catch {
      throw .unavailable("no thread, errno \(error.code)")
    }
    _ = try await microphone.certainValue().get()
  }

  /// The microphone that is recorded.
  package var source: Microphone {
    get async throws(SoundCaptureError) { try await microphone.certainValue().get() }
  }

  /// Ends the recording and returns it.
  package func stop() async throws(SoundCaptureError) -> Recording {
    isStopped.set()
    return try await recording.certainValue().get()
  }

  deinit { isStopped.set() }
}

/// A source of sound.
package struct Microphone: Hashable, Sendable {
  /// The server's name for it.
  package var name: String
  /// The name for people; not cleaned of control characters.
  package var description: String
  /// A Boolean value that indicates whether it isn't a microphone but the sound of an output.
  package var isMonitor: Bool
}

/// The reason for which nothing is recorded.
package enum SoundCaptureError: Error, Hashable, Sendable {
  /// There is no sound server, or it refused; with its own words.
  case unavailable(String)
  /// The named microphone doesn't exist, or there is none at all.
  case noMicrophone(String?)
  /// The default source is the sound of this output; there is no microphone.
  case onlyMonitor(String)
  /// The server closed the connection or the microphone was removed; with the server's own words.
  case interrupted(String)
  /// The microphone delivers no sound, not even silence.
  case noSound
}
