;; Drives dap-mode through a session with the engine: emacs --batch -l THIS SETTINGS RXS MODULE LINE. Prints where it
;; stopped, line by line, and "terminated" at the end.
(setq load-prefer-newer t
      dap-breakpoints-file (make-temp-file "breakpoints")
      dap-auto-configure-features nil)
(require 'dap-mode)
(load (nth 0 command-line-args-left))
(setq dap-relaxscope-command (nth 1 command-line-args-left))
(defvar driven-file (nth 2 command-line-args-left))
(defvar driven-line (string-to-number (nth 3 command-line-args-left)))
(setq command-line-args-left nil)

(defvar driven-stops 0)
(defvar driven-over nil)

(defun driven-stopped (session)
  "Tell where SESSION stands and go on: two steps, then to the end."
  (let ((frame (dap--debug-session-active-frame session)))
    (when frame
      (message "stopped at %s:%s" (gethash "name" frame) (gethash "line" frame))
      (setq driven-stops (1+ driven-stops))
      (if (< driven-stops 3)
          (dap-next session)
        (dap-continue session (dap--debug-session-thread-id session))))))

(add-hook 'dap-stack-frame-changed-hook #'driven-stopped)
(add-hook 'dap-terminated-hook (lambda (_) (setq driven-over t)))

(with-current-buffer (find-file-noselect driven-file)
  (goto-char (point-min))
  (forward-line (1- driven-line))
  (dap-breakpoint-add)
  (dap-start-debugging-noexpand
   (dap-relaxscope--populate (list :type "relaxscope" :request "launch" :name "driven"))))

(let ((until (+ (float-time) 30)))
  (while (and (not driven-over) (< (float-time) until))
    (accept-process-output nil 0.05)))
(message (if driven-over "terminated" "not terminated"))
